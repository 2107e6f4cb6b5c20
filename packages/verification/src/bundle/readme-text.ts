/** What a bundle says to whoever opens it. */
export const readmeText = `This directory is a copy of Hostledger's audit log, up to its checkpoint.

manifest.json       what this is: format, version, origin, number of events, and SHA-256 of every file below
manifest.note       SHA-256 of manifest.json, signed with the log's key; a file that is not listed is no part of this
checkpoint          size and root hash of the log, signed (C2SP tlog-checkpoint, signed-note)
key                 the verifier keys, one a line; compare them with those that you were given by another way
checkpoints/        earlier checkpoints, by size
tile/               hashes and events (C2SP tlog-tiles)
large/              events of more than 65,535 bytes, whose digest stands in tile/entries
schemas/            JSON Schema of the data of each type of event
balances.json       what the accounts showed at the time of the export
damage.json         only there if the store was damaged: which events are not those that the log has the hashes of
verify-bundle.mjs   verifies all this: node verify-bundle.mjs . --key KEY

An entry: byte 1; length (2 bytes) and stream; revision (8); UUID (16); length (2) and type; time (27, ASCII);
length (4) and data; length (4) and metadata. Texts are UTF-8, integers big-endian. A leaf hash is
SHA-256(byte 0, entry). A larger entry stands as byte 2, SHA-256 of it (32), and its length (4).
`;
