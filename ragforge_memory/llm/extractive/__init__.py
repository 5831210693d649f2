"""A provider without a model: it asks the tools by rule and answers by quoting what they found."""
