"""`python -m paucal`: the command line, where its folder is not on the path."""

from paucal.cli import main

if __name__ == "__main__":
    main()
