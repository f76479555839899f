"""What the pages share: state, cached resources, pure HTML, and the widgets drawn more than once."""
