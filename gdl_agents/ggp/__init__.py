"""The GGP protocol, both ways: our agents as players of others, players of others at our table."""
