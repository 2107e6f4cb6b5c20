import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { hostname, instant, line, text } from "../kernel/fields.ts";

export const registryMessageSubjects = [
  /** Another registrar requests the transfer of our name. */
  "transfer-requested",
  /** The requested transfer to another registrar failed: the name stays here. */
  "transfer-kept",
  /** Our name moved to another registrar. */
  "transferred-away",
  "transfer-to-us",
  /** The result of an order that was pending at the registry (RFC 5731 §3.3). */
  "order",
  /** Another message about a name, for example a renewal, lock or deletion. */
  "name",
  /** A message that this program cannot interpret. */
  "other",
] as const;

export type RegistryMessageSubject = (typeof registryMessageSubjects)[number];

/** Maximum stored characters of a message's text. */
export const longestRegistryWords = 300;

/** Poll messages of registries (stream `registrymessage-<registrar>/<id>`): one stream for each message. */
export const registryMessageEvents = defineEvents({
  RegistryMessageReceived: event(
    "The registry sent a poll message (RFC 5730 §2.9.2.3). The service acknowledges the message after this event.",
    {
      registrar: text,
      messageId: text,
      about: z.enum(registryMessageSubjects),
      /** The domain name; null if the message names none that this program recognises. */
      name: hostname.nullable(),
      /** The registry's text, for people. */
      words: line(longestRegistryWords),
      receivedAt: instant,
    },
  ),
});

export type RegistryMessageEvent = EventOf<typeof registryMessageEvents>;

export const registryMessageCodec = eventCodec(registryMessageEvents);
