"""What others need to use what a document says: pure functions of the document, its checks' facts and what is asked for."""
