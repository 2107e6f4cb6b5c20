import { namedInstallation } from "@hostledger/store/testing";
import { realTiming } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { createMailSender } from "./mail-sender.ts";
import { startMailServer } from "./mail-server.fixture.ts";

// RFC 5321 §4.5.3.2.6 has ten minutes for it: a mail that was given up is taken by such a server all the same, and sent again.
it("waits longer for a server's answer about the content than for its other answers", async () => {
  const server = await startMailServer({
    onData(stream, _session, callback) {
      stream.resume();
      stream.once("end", () => {
        realTiming.after(11_000, callback);
      });
    },
  });
  const sender = createMailSender(
    { url: server.url, from: "hosting@example.com" },
    { timing: realTiming, installation: namedInstallation() },
  );
  const mail = {
    id: "msg_1",
    to: "ada@example.org",
    subject: "Paid",
    text: "Paid.",
    html: "Paid.",
    files: [],
  };
  expect(await sender.send(mail)).toEqual({ status: 250, error: null });
});
