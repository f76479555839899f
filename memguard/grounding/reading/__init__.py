"""Reading: words, names, numbers, dates and polarity of one English text, each with its place in it."""
