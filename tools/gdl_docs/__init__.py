"""What `./gdl docs` adds to MkDocs: pages made from code, and links to files of the checkout."""
