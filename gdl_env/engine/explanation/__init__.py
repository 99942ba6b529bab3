"""Why something holds in a state, or does not: answers by the rules as their author wrote them."""
