"""Own comments without labels: from files and a list of seed words to topics and answers."""
