"""`python -m fairdeal`: the command line."""

from fairdeal.cli.main import main

if __name__ == "__main__":
    main()
