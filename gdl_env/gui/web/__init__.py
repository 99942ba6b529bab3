"""What requests and pages may do."""
