import { refused } from "../exit-code.ts";

/** A mail that a mail server failed to deliver. */
export interface Bounce {
  /** Id of the notice, from the mail's Message-ID. */
  readonly noticeId: string;
  /** Address of the original mail. */
  readonly recipient: string;
  /** Enhanced status code (RFC 3463). */
  readonly status: string;
}

/** Maximum bytes of a report; our mails have at most 10 MB, and a report may include the mail. */
const reportLimit = 20_000_000;

/** Maximum recipients read per report; our mails have one. */
const recipientLimit = 10;

/**
 * Reads a delivery status notification (RFC 3464).
 * @returns the failures; empty if the mail was delivered or only delayed.
 * @throws CommandFailure if the input is no such report, too large, or about a foreign mail.
 */
export async function readBounces(input: AsyncIterable<Uint8Array>): Promise<readonly Bounce[]> {
  const { default: PostalMime } = await import("postal-mime");
  const mail = await PostalMime.parse(await bytesOf(input), {
    attachmentEncoding: "utf8",
    forceRfc822Attachments: true,
  }).catch((error: unknown) => {
    throw refused("The input is no mail: its parts cannot be recognised.", error);
  });
  const parts = mail.attachments.map(({ mimeType, content }) => ({ mimeType, text: textOf(content) }));
  const report = parts.find(({ mimeType }) => mimeType === "message/delivery-status");
  if (report === undefined)
    throw refused(
      "This mail is no delivery status notification (RFC 3464): it has no part message/delivery-status.",
    );
  // The returned mail is a part of the report, complete or headers only (RFC 3462).
  const returned = [...parts.map(({ text }) => text), mail.text ?? ""].join("\n");
  const noticeId = /^message-id:\s*<(msg_[0-9a-f]{32})(?:\.[a-z][a-z0-9]{5})?@/imu.exec(returned)?.[1];
  if (noticeId === undefined)
    throw refused(
      "This report does not concern a notice: the bounced mail has no Message-ID of this installation.",
    );
  return failuresOf(report.text).map((failure) => ({ noticeId, ...failure }));
}

async function bytesOf(input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > reportLimit) throw refused("This mail is too large: at most 20 MB are read.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function textOf(content: string | ArrayBuffer | Uint8Array): string {
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}

/** Returns the failures. Each recipient has a group of fields after the mail's group (RFC 3464 §2.1). */
function failuresOf(report: string): readonly Pick<Bounce, "recipient" | "status">[] {
  const unfolded = report.replaceAll(/\r?\n/gu, "\n").replaceAll(/\n[ \t]+/gu, " ");
  return unfolded
    .split(/\n{2,}/u)
    .slice(0, recipientLimit + 1)
    .flatMap((group) => {
      const field = (name: string): string | undefined =>
        new RegExp(`^${name}:[ \\t]*(.*)$`, "imu").exec(group)?.[1]?.trim();
      const recipient = addressIn(field("Original-Recipient")) ?? addressIn(field("Final-Recipient"));
      const status = /^[45]\.\d{1,3}\.\d{1,3}/u.exec(field("Status") ?? "")?.[0];
      const hasFailed = field("Action")?.toLowerCase() === "failed";
      return hasFailed && recipient !== undefined && status !== undefined ? [{ recipient, status }] : [];
    });
}

/** Returns the address in `rfc822; ada@example.org` (RFC 3464 §2.3.1). */
function addressIn(field: string | undefined): string | undefined {
  return /^rfc822\s*;\s*<?([^\s<>]{3,254})>?$/iu.exec(field ?? "")?.[1];
}
