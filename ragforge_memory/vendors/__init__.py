"""What all that talk to a vendor of models share: access, the SDK's client, its errors, asking again."""
