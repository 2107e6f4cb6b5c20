import { DocumentProofError, maximumProofBytes, verifyDocument } from "@hostledger/audit/verification";
import type { Command } from "commander";

import { parseText } from "../arguments/value-parsers.ts";
import { parseKey, readLimited } from "../audit/verification-options.ts";
import type { CommandContext } from "../command-context.ts";
import { refused } from "../exit-code.ts";
import { reply, type Answer } from "../output/reply.ts";
import { printable } from "../output/table.ts";

/** Maximum bytes of a document's file; real files have less than one MiB. */
const maximumFileBytes = 67_108_864;

interface Flags {
  readonly key?: readonly string[];
  readonly json?: boolean;
}

/** Adds `verify-document`, which checks a document's file against its proof without an instance. */
export function addVerifyDocumentCommand(program: Command, context: CommandContext): void {
  program
    .command("verify-document")
    .description("check a document's PDF or XML against its proof, without an instance; exit 1 if it differs")
    .argument("<file>", "PDF or XML of an invoice, a receipt or a correction", parseText)
    .argument("<proof>", "file with the answer of GET /billing/invoices/{id}/proof", parseText)
    .option("--key <vkey>", "trusted verifier key from another source; can be repeated", parseKey)
    .option("--json", "print one JSON document")
    .action(async (file: string, proof: string, { key, json }: Flags) => {
      const content = await readLimited(file, maximumFileBytes, "document");
      const text = (await readLimited(proof, maximumProofBytes, "proof")).toString("utf8");
      reply(context.io, json, answerOf(content, text, key));
    });
}

/** @throws CommandFailure (1) if the file is not the archived one, or the proof proves nothing */
function answerOf(content: Uint8Array, proof: string, key: readonly string[] | undefined): Answer {
  const { documentId, number, format, index, origin, size, archivedAt, isRenderedLater } = verified(
    content,
    proof,
    key,
  );
  const lines = [
    `The file is the ${format === "pdf" ? "PDF" : "XML"} of document ${number}, as archived at ${archivedAt}.`,
    `Event ${String(index)} of ${String(size)} that ${origin} signed names it.`,
    ...(isRenderedLater ? ["The document was issued before that: its file was made later."] : []),
    ...(key === undefined
      ? ["The proof's own key was trusted: name a trusted key from another source with --key."]
      : []),
  ];
  return {
    document: {
      document_id: documentId,
      number,
      file: format,
      archived_at: archivedAt,
      rendered_later: isRenderedLater,
      index,
      origin,
      size,
      key_trusted: key !== undefined,
    },
    text: lines.map((line) => `${printable(line)}\n`).join(""),
  };
}

function verified(
  content: Uint8Array,
  proof: string,
  key: readonly string[] | undefined,
): ReturnType<typeof verifyDocument> {
  try {
    return verifyDocument(content, proof, key);
  } catch (error) {
    throw error instanceof DocumentProofError ? refused(printable(error.message), error) : error;
  }
}
