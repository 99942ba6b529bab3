"""The environment for programs that expect other interfaces."""
