print("ADMITTED", tools.vault(n=7), tools.vault(8))
