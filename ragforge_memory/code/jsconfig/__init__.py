"""Reading package.json and tsconfig.json files."""
