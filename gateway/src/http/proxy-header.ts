import { isIPv4, isIPv6, type Socket } from "node:net";

import { realTiming } from "@hostledger/runtime/async";

/** Maximum length of a version 1 header, and length of a version 2 header without TLVs ("The PROXY protocol", §2). */
const maximumLineBytes = 107;
const fixedBytes = 16;

/** Maximum bytes of version 2 addresses and TLVs: twice the minimum (§2.2), because certificate names are long. */
const maximumAddressBytes = 1_024;

const signature = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const lineStart = Buffer.from("PROXY ", "latin1");

/** Result of parsing the first bytes of a proxy's connection. */
export type ProxyHeader =
  | { readonly status: "incomplete" }
  /** The header is missing or invalid. */
  | { readonly status: "malformed" }
  /** `clientAddress` is undefined if the proxy speaks for itself, as in health checks. */
  | {
      readonly status: "complete";
      readonly lengthBytes: number;
      readonly clientAddress: string | undefined;
    };

const incomplete = { status: "incomplete" } as const;
const malformed = { status: "malformed" } as const;

/** Parses a PROXY protocol header, version 1 or 2, at the beginning of a connection. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsAs(bytes, lineStart)) return bytes.length < lineStart.length ? incomplete : readLine(bytes);
  if (!beginsAs(bytes, signature)) return malformed;
  return bytes.length < fixedBytes ? incomplete : readBinary(bytes);
}

/** Returns true if the received bytes match the beginning of `start`. */
function beginsAs(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.compare(start, 0, length, 0, length) === 0;
}

const linePattern = /^PROXY (TCP4|TCP6) ([0-9a-f.:]+) ([0-9a-f.:]+) \d{1,5} \d{1,5}$/i;

function readLine(bytes: Buffer): ProxyHeader {
  const line = bytes.toString("latin1", 0, maximumLineBytes);
  const end = line.indexOf("\r\n");
  if (end === -1) return bytes.length < maximumLineBytes ? incomplete : malformed;
  const lengthBytes = end + 2;
  const text = line.slice(0, end);
  // Receivers ignore everything after UNKNOWN.
  if (/^PROXY UNKNOWN(?: |$)/.test(text))
    return { status: "complete", lengthBytes, clientAddress: undefined };
  const [, family, source = "", destination = ""] = linePattern.exec(text) ?? [];
  const isAddress = family === "TCP4" ? isIPv4 : isIPv6;
  if (family === undefined || !isAddress(source) || !isAddress(destination)) return malformed;
  return { status: "complete", lengthBytes, clientAddress: source };
}

/** Bytes of the two addresses and ports, by number of the address family. */
const familyBytes: ReadonlyMap<number, number> = new Map([
  [0x11, 12],
  [0x21, 36],
]);

function readBinary(bytes: Buffer): ProxyHeader {
  const command = bytes.readUInt8(12);
  const family = bytes.readUInt8(13);
  const addressBytes = bytes.readUInt16BE(14);
  const lengthBytes = fixedBytes + addressBytes;
  if (addressBytes > maximumAddressBytes) return malformed;
  // LOCAL means the proxy's own connection; other fields are ignored.
  const isLocal = command === 0x20;
  const least = familyBytes.get(family);
  if (!isLocal && (command !== 0x21 || least === undefined || addressBytes < least)) return malformed;
  if (bytes.length < lengthBytes) return incomplete;
  const source = bytes.subarray(fixedBytes, fixedBytes + (family === 0x11 ? 4 : 16));
  return { status: "complete", lengthBytes, clientAddress: isLocal ? undefined : addressText(source) };
}

const mappedPrefix = Buffer.from("00000000000000000000ffff", "hex");

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join(".");
  // Writes an IPv4-mapped IPv6 address in its one standard form.
  if (bytes.subarray(0, 12).equals(mappedPrefix)) return `::ffff:${bytes.subarray(12).join(".")}`;
  return (bytes.toString("hex").match(/.{4}/g) ?? []).join(":");
}

export interface ProxiedConnection {
  /** Time limit for the whole header, in milliseconds. */
  readonly timeoutMs: number;
  /** Continues the connection, whose remote address is now the client named by the proxy. */
  readonly accept: () => void;
  /** Receives the reason if the connection was closed. */
  readonly refused: (reason: string) => void;
}

/** Reads the header at the beginning of a proxy's connection. Closes the connection if the header is invalid or late. */
export function takeProxyHeader(socket: Socket, { timeoutMs, accept, refused }: ProxiedConnection): void {
  let bytes = Buffer.alloc(0);
  const leave = (): void => {
    callOff();
    socket.off("readable", onReadable).off("error", giveUp).off("end", onEnd);
  };
  const refuse = (reason: string): void => {
    leave();
    socket.on("error", giveUp).destroy();
    refused(reason);
  };
  const giveUp = (): void => {
    socket.destroy();
  };
  const onEnd = (): void => {
    // A port check sends nothing, so there is nothing to log.
    if (bytes.length === 0) giveUp();
    else refuse("it ended within its PROXY header");
  };
  const onReadable = (): void => {
    const chunk: unknown = socket.read();
    if (!Buffer.isBuffer(chunk)) return;
    bytes = Buffer.concat([bytes, chunk]);
    const header = readProxyHeader(bytes);
    if (header.status === "incomplete") return;
    if (header.status === "malformed") {
      refuse("it does not begin with a PROXY header");
      return;
    }
    leave();
    const { clientAddress, lengthBytes } = header;
    if (clientAddress !== undefined) Object.defineProperty(socket, "remoteAddress", { value: clientAddress });
    if (bytes.length > lengthBytes) socket.unshift(bytes.subarray(lengthBytes));
    accept();
  };
  // Uses a separate timer, because a client could reset the socket's idle timer with single bytes.
  const callOff = realTiming.after(timeoutMs, () => {
    refuse("its PROXY header did not come in time");
  });
  socket.once("close", callOff);
  socket.on("readable", onReadable).on("error", giveUp).on("end", onEnd);
}
