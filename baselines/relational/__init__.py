"""What the mechanisms that recode tables share: attributes, hierarchies, frequency sets, renderings, releases.

They form classes of rows that read alike, as Zettel studied for access logs of users and addresses: "Anonymization of
the University Information System Log Data: a Case Study", CEUR-WS 2438, paper 4.
"""
