"""The proof of isolation: from each way in to what it reaches."""
