import { addMilliseconds } from "../calendar/calendar.ts";
import { parsed, unparsable, type Parsed } from "../kernel/result.ts";
import { hasAtMost, isLine } from "../kernel/values.ts";

/** Limits of a paid time in months: for customers (specification §4.6 and §8), and for staff that makes a present. */
export const monthsLimits = { minimum: 1, maximum: 12, giftMaximum: 120 } as const;

/** Limits of a display host name (specification §4.9; contract, status codes). */
export const hostnameLimits = { minimumLength: 3, maximumLength: 63 } as const;

/** Characters of a public key: an RSA key of 16,384 bits has about 2,800. */
export const sshKeyLimit = 8_192;

const dayMilliseconds = 86_400_000;

/** Days for which a server is kept after it expired: the limits of what an operator can set. */
export const terminationDaysLimits = { minimum: 1, maximum: 3_650, default: 14 } as const;

/** How a server stands that will end one day. */
export interface ServerTerm {
  readonly expiresAt: string;
  /** Null while it runs. */
  readonly suspendedAt: string | null;
  /** It ends with its paid time. */
  readonly cancelled: boolean;
  /** Staff hold it. */
  readonly held: boolean;
  /** When staff last lifted a suspension; null where they never did. */
  readonly releasedAt: string | null;
}

/** Days for which a server is kept, at least, after staff released it. */
export const daysAfterHold = 7;

/**
 * When a server ends that nobody renews: with its paid time where it was cancelled, else so many days after it expired.
 * Where it was suspended later than it expired, after an outage of ours, that takes no day from its customer.
 * Its customer also has some days after staff released it.
 * @returns null while staff hold it: it does not end by itself then.
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

// RFC 1123 §2.1: letters, digits and hyphens, neither first nor last a hyphen.
const labelPattern = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/;

/** Types of public keys that OpenSSH takes today (`ssh-keygen`); DSA and the first generation are gone. */
const sshKeyTypes: ReadonlySet<string> = new Set([
  "ssh-ed25519",
  "ssh-rsa",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "sk-ssh-ed25519@openssh.com",
  "sk-ecdsa-sha2-nistp256@openssh.com",
]);

/** Reads the months of an order or a renewal. */
export function parseMonths(months: number): Parsed<number> {
  return monthsUpTo(months, monthsLimits.maximum);
}

/** Reads the months of a server that staff provisions without a charge. */
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
 * Reads a display host name: null, and a text of fewer than three characters, clear it (specification §4.9). Its labels are
 * those of RFC 1123 §2.1.
 * @returns null where it is cleared.
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
 * Reads a public key in OpenSSH's form, `type base64 comment` on one line. The bytes must name the same type as the text
 * (RFC 4253 §6.6), which a key that was cut or mixed up does not.
 * @returns null where none is given.
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

/** The type that a key's bytes begin with: a length in four octets, then so many of text (RFC 4251 §5). */
function bytesName(base64: string): string | undefined {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return undefined;
  const bytes = atob(base64);
  const [a = 0, b = 0, c = 0, d = 0] = Array.from(bytes.slice(0, 4), (octet) => octet.charCodeAt(0));
  const length = ((a * 256 + b) * 256 + c) * 256 + d;
  // A key has more than its type.
  return bytes.length > 4 + length ? bytes.slice(4, 4 + length) : undefined;
}
