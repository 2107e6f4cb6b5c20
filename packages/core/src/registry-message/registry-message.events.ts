import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { hostname, instant, line, text } from "../kernel/fields.ts";

/** What a registry's message may be about. */
export const registryMessageSubjects = [
  /** Another registrar asks for a name of ours. */
  "transfer-requested",
  /** That came to nothing: the name stays. */
  "transfer-kept",
  /** A name of ours is another registrar's. */
  "transferred-away",
  /** What became of a transfer to us. */
  "transfer-to-us",
  /** What became of an order that the registry had taken down (RFC 5731 §3.3). */
  "order",
  /** Something else about a name: it was renewed, locked, deleted … */
  "name",
  /** Something that is not understood here. */
  "other",
] as const;

/** One of them. */
export type RegistryMessageSubject = (typeof registryMessageSubjects)[number];

/** Characters of a registry's own words that are kept. */
export const longestRegistryWords = 300;

/** What registries say unasked (stream `registrymessage-<registrar>/<id>`): each message has a stream of its own. */
export const registryMessageEvents = defineEvents({
  RegistryMessageReceived: event(
    "The registry said something unasked, in its queue of messages (RFC 5730 §2.9.2.3); it is taken off the queue after this.",
    {
      /** The registrar of ours at that registry. */
      registrar: text,
      /** The registry's own id of the message. */
      messageId: text,
      about: z.enum(registryMessageSubjects),
      /** Null where it is about no name that is understood here. */
      name: hostname.nullable(),
      /** The registry's words, for people. */
      words: line(longestRegistryWords),
      receivedAt: instant,
    },
  ),
});

/** One of these. */
export type RegistryMessageEvent = EventOf<typeof registryMessageEvents>;

/** Reads and names these facts. */
export const registryMessageCodec = eventCodec(registryMessageEvents);
