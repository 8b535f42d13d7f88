"""What all operations share: time, the record in the ledgers, clients, how one goes on and ends."""
