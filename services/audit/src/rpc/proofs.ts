import type { ServiceImpl } from "@connectrpc/connect";
import { accountOfDocument, counted, rejection } from "@hostledger/core";
import type { RecordedEvent } from "@hostledger/store";
import type { audit } from "@hostledger/protocol";
import { rejectionError, validated } from "@hostledger/rpc";
import { realTiming } from "@hostledger/runtime";
import {
  bundledEntry,
  consistencyProof,
  encodeEntry,
  hashBytes,
  inclusionProof,
  leafHash,
  rootOf,
} from "@hostledger/audit/log";

import type { AuditDependencies } from "../dependencies.ts";
import { auditedEvent } from "./audit.message.ts";
import { maximumStreamLength, missing, parseCount, parseShort, unanswerable } from "./fields.ts";
import { admitted } from "./use.ts";

type ProofHandlers = Pick<
  ServiceImpl<typeof audit.AuditService>,
  "getCheckpoint" | "getInclusionProof" | "getConsistencyProof" | "signBundle"
>;

/** Maximum wait of a proof for a checkpoint that covers its event, in milliseconds. A checkpoint is made every second. */
const checkpointWaitMs = 5_000;
const checkpointPollMs = 50;
const maximumNumberLength = 64;
const eventIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

export function proofHandlers(dependencies: AuditDependencies): ProofHandlers {
  const { log } = dependencies;
  return {
    async getCheckpoint({ withEarlier }, context) {
      await admitted(dependencies, context, "GetCheckpoint", "the log");
      const { note } = log.checkpoint();
      const earlierNotes = withEarlier ? [...(await log.earlierNotes())] : [];
      return { note, verifierKeys: [...log.verifierKeys()], earlierNotes };
    },

    async getInclusionProof(request, context) {
      await admitted(dependencies, context, "GetInclusionProof", subjectOf(request));
      const { treeSize } = validated({ treeSize: parseCount(request.treeSize) });
      const index = await indexOf(dependencies, request);
      const size = await coveringSize(dependencies, index, treeSize);
      const [event] = await log.entries(index, 1);
      if (event === undefined) throw new Error(`the log has no event ${String(index)}`);
      const [hashes, rootHash] = await Promise.all([
        inclusionProof(index, size, log.readTile),
        rootOf(size, log.readTile),
      ]);
      return {
        index: BigInt(index),
        treeSize: BigInt(size),
        leafHash: leafHash(bundledEntry(encodeEntry(event))),
        hashes: [...hashes],
        rootHash,
        event: auditedEvent(index, event),
      };
    },

    async signBundle({ size: asked, manifestSha256 }, context) {
      const hash = Buffer.from(manifestSha256)
        .toString("hex")
        .slice(0, hashBytes * 2);
      await admitted(dependencies, context, "SignBundle", `bundle ${hash} of ${String(asked)}`);
      const { size } = validated({ size: parseCount(asked) });
      if (size > log.checkpoint().size) throw beyond(log.checkpoint().size);
      if (manifestSha256.length !== hashBytes) throw unanswerable("A manifest's SHA-256 has 32 bytes.");
      return { note: log.signBundle({ size, manifestHash: manifestSha256 }) };
    },

    async getConsistencyProof(request, context) {
      const subject = `${String(request.firstSize)} and ${String(request.secondSize)}`;
      await admitted(dependencies, context, "GetConsistencyProof", subject);
      const { firstSize, secondSize } = validated({
        firstSize: parseCount(request.firstSize),
        secondSize: parseCount(request.secondSize),
      });
      const { size } = log.checkpoint();
      const second = secondSize === 0 ? size : secondSize;
      if (second > size) throw beyond(size);
      if (firstSize < 1 || firstSize > second)
        throw unanswerable(`The first size must be 1 to the second one, which is ${String(second)}.`);
      const [hashes, firstRootHash, secondRootHash] = await Promise.all([
        consistencyProof(firstSize, second, log.readTile),
        rootOf(firstSize, log.readTile),
        rootOf(second, log.readTile),
      ]);
      return {
        firstSize: BigInt(firstSize),
        secondSize: BigInt(second),
        hashes: [...hashes],
        firstRootHash,
        secondRootHash,
      };
    },
  };
}

/** Returns the index of the requested leaf. @throws ConnectError `not-found`, `validation-failed` */
async function indexOf(
  dependencies: AuditDependencies,
  { leaf, stream }: audit.GetInclusionProofRequest,
): Promise<number> {
  const { log, rawStore } = dependencies;
  switch (leaf.case) {
    case "index": {
      const { index } = validated({ index: parseCount(leaf.value) });
      if (index >= log.size)
        throw missing(`The log has no event ${String(index)}: it has ${String(log.size)}.`);
      return index;
    }
    case "eventId": {
      validated({ stream: parseShort(stream, maximumStreamLength, false) });
      if (!eventIdPattern.test(leaf.value)) throw unanswerable("An event's id is a UUID in lower case.");
      for await (const recorded of rawStore.read(stream))
        if (recorded.id === leaf.value) return log.indexOf(recorded);
      throw missing("There is no such event in this stream.");
    }
    case "documentNumber":
      return log.indexOf(await documentEvent(dependencies, leaf.value));
    case undefined:
      throw unanswerable("Name the leaf by its index, its event or its document.");
  }
}

async function documentEvent(
  { projector, queries, rawStore }: AuditDependencies,
  number: string,
): Promise<RecordedEvent> {
  validated({ documentNumber: parseShort(number, maximumNumberLength, false) });
  const account = accountOfDocument(number);
  const find = () => queries.documentByNumber(number);
  let row = await find();
  if (row === undefined && account !== undefined)
    row = await projector.after({ stream: `account-${String(account)}` }).then(find);
  if (row === undefined) throw missing(`There is no document ${number}.`);
  const stream = `account-${String(row.account_id)}`;
  for await (const recorded of rawStore.read(stream, { from: BigInt(row.revision), limit: 1 }))
    return recorded;
  throw new Error(`the event of the document ${number} is not in its stream`);
}

/** Returns the size of a checkpoint with the leaf; waits for the next checkpoint if the leaf is new. */
async function coveringSize({ log }: AuditDependencies, index: number, asked: number): Promise<number> {
  if (asked > log.checkpoint().size) throw beyond(log.checkpoint().size);
  if (asked > 0 && asked <= index)
    throw unanswerable(`The event is number ${String(index)}: a log of ${String(asked)} does not have it.`);
  if (asked > 0) return asked;
  for (let waited = 0; waited <= checkpointWaitMs; waited += checkpointPollMs) {
    const { size } = log.checkpoint();
    if (size > index) return size;
    await realTiming.sleep(checkpointPollMs);
  }
  throw rejectionError(
    rejection("overloaded", "The event is not in a checkpoint yet.", { retryAfterSeconds: 1 }),
  );
}

function beyond(size: number): Error {
  return unanswerable(
    `The last checkpoint is of ${counted(size, "event")}: there is no proof about more yet.`,
  );
}

function subjectOf({ leaf, stream }: audit.GetInclusionProofRequest): string {
  switch (leaf.case) {
    case "index":
      return `index ${String(leaf.value)}`;
    case "eventId":
      return `event ${leaf.value} of ${stream}`;
    case "documentNumber":
      return `document ${leaf.value}`;
    case undefined:
      return "nothing";
  }
}
