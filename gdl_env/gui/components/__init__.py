"""Parts of pages that are drawn by the browser."""
