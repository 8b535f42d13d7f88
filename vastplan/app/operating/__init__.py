"""What operations share, whatever they change: time, the record in the ledgers, clients, how one is gone on with and ends."""
