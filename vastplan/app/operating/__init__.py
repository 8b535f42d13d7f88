"""The parts that moves and restores share: clock, record in the ledgers, clients, and the steps to continue and end."""
