import { addMilliseconds } from "../calendar/calendar.ts";
import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { hasAtMost, isLine } from "../kernel/values.ts";

/** Limits of a paid period in months: for customers (specification §4.6 and §8), and for servers that staff give away. */
export const monthsLimits = { minimum: 1, maximum: 12, giftMaximum: 120 } as const;

/** Limits of a display host name (specification §4.9; contract, status codes). */
export const hostnameLimits = { minimumLength: 3, maximumLength: 63 } as const;

/** Maximum characters of a public key: an RSA key of 16,384 bits has about 2,800. */
export const sshKeyLimit = 8_192;

const dayMilliseconds = 86_400_000;

/** Days between expiry and termination of a server: limits of the operator's setting. */
export const terminationDaysLimits = { minimum: 1, maximum: 3_650, default: 14 } as const;

export interface ServerTerm {
  readonly expiresAt: string;
  /** Null while the server runs. */
  readonly suspendedAt: string | null;
  /** True if the server ends with its paid period. */
  readonly cancelled: boolean;
  readonly held: boolean;
  /** Time when staff last ended a suspension; null if they never did. */
  readonly releasedAt: string | null;
}

/** Minimum days that a server remains after staff released it. */
export const daysAfterHold = 7;

/**
 * Returns the time when an unrenewed server ends. A cancelled server ends with its paid period, another server some days
 * after it expired. If the suspension came later than the expiry, after an outage of ours, the days count from it. After
 * staff release a server, its customer has at least `daysAfterHold`.
 * @returns null while staff hold the server, because it does not end by itself then.
 */
export function serverEndsAt(
  { expiresAt, suspendedAt, cancelled, held, releasedAt }: ServerTerm,
  terminationDays: number,
): string | null {
  if (held) return null;
  const since = suspendedAt !== null && suspendedAt > expiresAt ? suspendedAt : expiresAt;
  const endsAt = cancelled ? expiresAt : addMilliseconds(since, terminationDays * dayMilliseconds);
  const earliest =
    releasedAt === null ? endsAt : addMilliseconds(releasedAt, daysAfterHold * dayMilliseconds);
  return earliest > endsAt ? earliest : endsAt;
}

// RFC 1123 §2.1: letters, digits and inner hyphens.
const labelPattern = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/;

/** Key types that OpenSSH accepts today (`ssh-keygen`), without the obsolete DSA and version 1 keys. */
const sshKeyTypes: ReadonlySet<string> = new Set([
  "ssh-ed25519",
  "ssh-rsa",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "sk-ssh-ed25519@openssh.com",
  "sk-ecdsa-sha2-nistp256@openssh.com",
]);

export function parseMonths(months: number): Parsed<number> {
  return monthsUpTo(months, monthsLimits.maximum);
}

/** Reads the months of a server that staff provision without a charge. */
export function parseGiftMonths(months: number): Parsed<number> {
  return monthsUpTo(months, monthsLimits.giftMaximum);
}

function monthsUpTo(months: number, maximum: number): Parsed<number> {
  const { minimum } = monthsLimits;
  return Number.isInteger(months) && months >= minimum && months <= maximum
    ? parsed(months)
    : unparsable(`must be a whole number from ${String(minimum)} to ${String(maximum)}`);
}

/**
 * Reads a display host name (RFC 1123 §2.1). @returns null for null and for fewer than three characters (specification
 * §4.9).
 */
export function parseHostname(text: string | null): Parsed<string | null> {
  const { minimumLength, maximumLength } = hostnameLimits;
  if (text === null || hasAtMost(text, minimumLength - 1)) return parsed(null);
  if (!hasAtMost(text, maximumLength))
    return unparsable(`must be at most ${String(maximumLength)} characters long`);
  return text.split(".").every((label) => labelPattern.test(label))
    ? parsed(text)
    : unparsable(
        "must be labels of letters, digits and inner hyphens, for example web-1 or web-1.example.com",
      );
}

/**
 * Reads a public key in OpenSSH's form, `type base64 comment` on one line. The encoded bytes must contain the same type as
 * the text (RFC 4253 §6.6), which detects a truncated key.
 * @returns null if no key is given.
 */
export function parseSshKey(text: string | undefined): Parsed<string | null> {
  if (text === undefined) return parsed(null);
  const line = text.trim();
  if (line === "" || !hasAtMost(line, sshKeyLimit))
    return unparsable(`must be 1 to ${String(sshKeyLimit)} characters long`);
  if (!isLine(line)) return unparsable("must be one line of well-formed text");
  const [type = "", bytes = ""] = line.split(" ");
  if (!sshKeyTypes.has(type)) return unparsable(`must begin with one of ${[...sshKeyTypes].join(", ")}`);
  return bytesName(bytes) === type ? parsed(line) : unparsable("must be a public key in OpenSSH's form");
}

/** Returns the type at the start of a key's bytes: a length in four octets and the text (RFC 4251 §5). */
function bytesName(base64: string): string | undefined {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return undefined;
  const bytes = atob(base64);
  const [a = 0, b = 0, c = 0, d = 0] = Array.from(bytes.slice(0, 4), (octet) => octet.charCodeAt(0));
  const length = ((a * 256 + b) * 256 + c) * 256 + d;
  // A key has more bytes than its type.
  return bytes.length > 4 + length ? bytes.slice(4, 4 + length) : undefined;
}

/** Returns the name of a server on documents: its hostname, or its number. */
export function serverName(serverId: number, hostname: string | null = null): string {
  return hostname ?? `server ${String(serverId)}`;
}
