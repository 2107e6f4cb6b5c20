import {
  generateSigner,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  type LogEvent,
} from "@hostledger/audit/log";
import { writeBundle } from "@hostledger/audit/verification";
import { bundleSigner, noteOf, rightEvents } from "@hostledger/audit/testing";

/** Events of one registration: five, and six where it is refunded, which every fifth is. */
const eventsOfRegistration = 5.2;

/** Accounts that the registrations go to in turn. */
const accounts = 1_000;

/** As long as the metadata of a real event. */
const metadata = JSON.stringify({
  correlationId: "018f2c7a-9d1b-7c3e-8f10-1234567890ab",
  causationId: "018f2c7a-9d1b-7c3e-8f10-1234567890ab",
  actor: "account:7",
  requestId: "018f2c7a-9d1b-7c3e-8f10-1234567890ab",
  recordedBy: "hostledger 0.1.0",
  commandId: "018f2c7a-9d1b-7c3e-8f10-1234567890ab",
});

/** Writes a bundle of about so many events, all of them right. @returns how many it has */
export async function writeAuditBundle(directory: string, events: number): Promise<number> {
  const signer = generateSigner("hostledger/bench");
  const log = { registrations: Math.ceil(events / eventsOfRegistration), accounts, metadata };
  const note = noteOf(rightEvents(log), signer);
  const { size } = parseCheckpoint(openNote(note, [parseVerifierKey(signer.verifierKey)]).text);
  return writeBundle(directory, {
    note,
    sign: bundleSigner(signer, size),
    verifierKeys: [signer.verifierKey],
    events: inPieces(rightEvents(log)),
    schemas: new Map(),
    createdAt: "2026-03-01T10:00:00.000Z",
    program: "bench",
  });
}

async function* inPieces(events: Iterable<LogEvent>): AsyncGenerator<readonly LogEvent[]> {
  let piece: LogEvent[] = [];
  for (const event of events) {
    piece.push(event);
    if (piece.length < 256) continue;
    yield await Promise.resolve(piece);
    piece = [];
  }
  yield piece;
}
