import { it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { registryMessage } from "./registry-message.decider.ts";

it("a poll message is stored once, however often the registry repeats it", () => {
  const said = {
    registrar: "Registry",
    messageId: "12345",
    about: "other",
    name: null,
    words: "Hello",
  } as const;
  const at = "2026-11-23T10:00:00.000000Z";
  const received = { type: "RegistryMessageReceived", data: { ...said, receivedAt: at } } as const;
  const receive = { type: "ReceiveRegistryMessage", data: { ...said, at } } as const;
  deciderSpec(registryMessage).given().when(receive).then(received);
  deciderSpec(registryMessage).given(received).when(receive).then();
});
