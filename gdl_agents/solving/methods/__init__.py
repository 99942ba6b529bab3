"""How games are solved: regret minimisation, sampling, values of states."""
