"""One module per figure: `table(data)` is what it shows, `plot(table, looks)` shows it, and
`describe(table, looks)` tells it to who cannot see it. `drawing` draws any of them.
"""
