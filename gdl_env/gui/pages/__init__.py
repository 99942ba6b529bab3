"""The pages: each one shows the newest of what the hub knows."""
