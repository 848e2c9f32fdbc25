"""`python -m paucal`: the command line, for whoever has it not on the path."""

from paucal.cli import main

if __name__ == "__main__":
    main()
