"""The companion page: what a browser sees of the table, and what it may ask of it.

    Daemon --frames, status--> Page --> Viewer (one each, newest only) --websocket--> browser
       ^------- commands ------ Page <------------ commands, if paired ---------------'

    gate      hosts, origins, pairing codes, sessions: who may look and who may steer
    site      the files of `site/`, as they are served
    server    the port: plain GETs, websockets, limits
    viewer    what one browser is still to be told
    facts     the game as plain data
    commands  what a browser may ask for

Nothing here is imported unless the settings ask for the page.
"""
