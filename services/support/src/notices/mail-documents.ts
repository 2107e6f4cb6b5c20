import type { Client } from "@connectrpc/connect";
import type { account } from "@hostledger/protocol";
import { createOutgoing, type CallerTokens } from "@hostledger/rpc";
import type { Logger } from "@hostledger/runtime";

import type { ReceiverAnswer } from "./receiver.ts";

/**
 * Maximum bytes of a mail's documents: mail servers commonly accept 10 to 25 million bytes, a third of them for the
 * encoding.
 */
const maximumBytes = 7_000_000;

/** Maximum wait for the documents of a mail, in milliseconds. */
const timeoutMs = 10_000;

/** Access to the service that renders documents. */
export interface DocumentAccess {
  readonly documents: Client<typeof account.DocumentService>;
  /** Tokens of the support service for these calls. */
  readonly callers: CallerTokens;
}

export interface MailFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/**
 * The documents of an invoice, fetched where they are laid out.
 * @param correlationId the notice's id
 * @returns an answer where there is nothing to send: the documents cannot be had now, or never will go by mail. Never throws.
 */
export type MailDocuments = (
  invoiceId: number,
  correlationId: string,
  signal: AbortSignal,
) => Promise<readonly MailFile[] | ReceiverAnswer>;

/** Fetches documents in the service's own name. */
export function createMailDocuments(
  { documents, callers }: DocumentAccess,
  logger: Pick<Logger, "error">,
): MailDocuments {
  const outgoing = createOutgoing(callers, ["account"]);
  const caller = { kind: "service", name: "support" } as const;
  return async (invoiceId, correlationId, signal) => {
    try {
      const request = { invoiceId: BigInt(invoiceId) };
      const headers = outgoing({ caller, requestId: correlationId, correlationId });
      const { files } = await documents.getDocumentFiles(request, { headers, timeoutMs, signal });
      const bytes = files.reduce((sum, { content }) => sum + content.byteLength, 0);
      if (bytes <= maximumBytes) return files;
      return {
        status: null,
        error: `its documents are larger than ${String(maximumBytes / 1_000_000)} MB`,
        isFinal: true,
      };
    } catch (error) {
      logger.error({ err: error, invoice: invoiceId }, "the documents of a mail could not be had");
      return { status: null, error: "its documents could not be had" };
    }
  };
}
