"""Games that visitors bring or write: drafts, checked and drawn apart from the server."""
