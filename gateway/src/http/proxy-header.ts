import { isIPv4, isIPv6, type Socket } from "node:net";

import { realTiming } from "@hostledger/runtime/async";

/**
 * The longest header of version 1, its line end included, and of version 2 without its additions (TLVs).
 * Source: HAProxy's "The PROXY protocol", §2.1 and §2.2.
 */
const maximumLineBytes = 107;
const fixedBytes = 16;

/** Addresses and additions of version 2: twice what every receiver has to take (§2.2), and room for names in certificates. */
const maximumAddressBytes = 1_024;

const signature = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const lineStart = Buffer.from("PROXY ", "latin1");

/** What the first bytes of a proxy's connection are. */
export type ProxyHeader =
  | { readonly status: "incomplete" }
  /** No header, or one with an error in it. */
  | { readonly status: "malformed" }
  /** `clientAddress` is undefined where the proxy speaks for itself, as its health checks do. */
  | {
      readonly status: "complete";
      readonly lengthBytes: number;
      readonly clientAddress: string | undefined;
    };

const incomplete = { status: "incomplete" } as const;
const malformed = { status: "malformed" } as const;

/** Reads a header of the PROXY protocol, version 1 or 2, from the beginning of a connection. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsAs(bytes, lineStart)) return bytes.length < lineStart.length ? incomplete : readLine(bytes);
  if (!beginsAs(bytes, signature)) return malformed;
  return bytes.length < fixedBytes ? incomplete : readBinary(bytes);
}

/** Whether the bytes are what such a beginning looks like, as far as they have come. */
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
  // Whatever follows the word is to be ignored.
  if (/^PROXY UNKNOWN(?: |$)/.test(text))
    return { status: "complete", lengthBytes, clientAddress: undefined };
  const [, family, source = "", destination = ""] = linePattern.exec(text) ?? [];
  const isAddress = family === "TCP4" ? isIPv4 : isIPv6;
  if (family === undefined || !isAddress(source) || !isAddress(destination)) return malformed;
  return { status: "complete", lengthBytes, clientAddress: source };
}

/** Bytes that the two addresses and ports of a family take, by its number. */
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
  // LOCAL: the proxy's own connection, whatever else it says.
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
  // An IPv4 address in IPv6's clothes has one spelling everywhere here.
  if (bytes.subarray(0, 12).equals(mappedPrefix)) return `::ffff:${bytes.subarray(12).join(".")}`;
  return (bytes.toString("hex").match(/.{4}/g) ?? []).join(":");
}

/** What becomes of a proxy's connection. */
export interface ProxiedConnection {
  /** For the whole header, in milliseconds. */
  readonly timeoutMs: number;
  /** Goes on with the connection, which says from now on that it comes from whom the proxy named. */
  readonly accept: () => void;
  /** Told why the connection was closed. */
  readonly refused: (reason: string) => void;
}

/** Takes the header from the beginning of a proxy's connection. One without a right header, in time, is closed. */
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
    // Whoever only looked whether the port is open has nothing to be told.
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
  // Not the socket's own idle timer, which a byte now and then would keep going.
  const callOff = realTiming.after(timeoutMs, () => {
    refuse("its PROXY header did not come in time");
  });
  socket.once("close", callOff);
  socket.on("readable", onReadable).on("error", giveUp).on("end", onEnd);
}
