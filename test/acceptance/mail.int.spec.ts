import { bounceMail } from "@hostledger/cli/testing";
import { realTiming } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import { startMailServer } from "@hostledger/support-service/testing";
import { expect, it } from "vitest";

import { pipedInProcess } from "../support/command-in-process.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName } from "../support/shop.ts";

/** Mail as customers receive it, with a real mail server. */

it("the service mails invoices as customers download them: PDF and electronic invoice, receipts as PDF only", async () => {
  const server = await startMailServer();
  const shop = await openShop({
    environment: { HOSTLEDGER_SMTP_URL: server.url, HOSTLEDGER_MAIL_FROM: "hosting@example.com" },
  });
  try {
    const { owner, instance } = shop;
    await owner.put("/account", { email: "ada@example.org" });
    await registerName(owner, "mailed.com");
    const topUp = { accountId: BigInt(owner.accountId), amountCents: 1_000n, reference: "mailed-top-up" };
    await instance.staff.accounts.topUpAccount(topUp);
    const documents = itemsOf((await owner.get("/billing/invoices")).body)
      .slice(-2)
      .map(objectOf);
    const invoiceMails = () =>
      server.taken.map(({ mail }) => mail.attachments).filter((attachments) => attachments.length > 0);
    await eventually(realTiming, () => {
      expect(invoiceMails()).toHaveLength(2);
    });
    for (const [place, formats] of [
      [0, ["pdf", "xml"]],
      [1, ["pdf"]],
    ] as const) {
      const { id, number } = documents[place] ?? {};
      const files = formats.map((format) => `${String(number)}.${format}`);
      const attachments = invoiceMails().find(([first]) => first?.filename === files[0]);
      expect(attachments?.map(({ filename }) => filename)).toEqual(files);
      for (const [at, format] of formats.entries()) {
        const { body } = await owner.get(`/billing/invoices/${String(id)}.${format}`);
        expect(attachments?.[at]?.content.toString("utf8")).toEqual(body);
      }
    }
  } finally {
    await shop.close();
  }
});

it("the service stops mail to an address after a bounce, shows that in the notices, and resumes on request", async () => {
  const server = await startMailServer();
  const shop = await openShop({
    environment: { HOSTLEDGER_SMTP_URL: server.url, HOSTLEDGER_MAIL_FROM: "hosting@example.com" },
  });
  try {
    const { owner, instance } = shop;
    await owner.put("/account", { email: "ada@example.com" });
    await owner.put("/account/notices", { mail_kinds: ["domain.registered"] });
    // Leaves out mail to an earlier address of the profile.
    const listed = async () =>
      itemsOf((await owner.get("/account/notices/deliveries")).body).filter(
        ({ event }) => event === "domain.registered",
      );
    const isWrittenOf = (name: string) => server.taken.some(({ mail }) => mail.text?.includes(name));
    const settled = (count: number) =>
      eventually(realTiming, async () => {
        const all = await listed();
        expect(all).toHaveLength(count);
        expect(all.map(({ status }) => status)).not.toContain("pending");
        return all;
      });
    await registerName(owner, "first-mailed.com");
    const [{ notice_id: noticeId } = {}] = await settled(1);
    const report = bounceMail({ noticeId: String(noticeId), recipients: ["ada@example.com"] });
    const bounced = await pipedInProcess(instance, report, "admin", "notice", "bounced");
    expect(bounced).toMatchObject({ code: 0, stderr: "" });
    expect(bounced.stdout).toContain("came back (5.1.1)");
    const chosen = async () => objectOf((await owner.get("/account/notices")).body);
    expect(await chosen()).toMatchObject({ mail_stopped: { status: "5.1.1" } });
    await registerName(owner, "second-mailed.com");
    expect((await settled(2)).map(({ status }) => status)).toEqual(["failed", "failed"]);
    expect([isWrittenOf("first-mailed.com"), isWrittenOf("second-mailed.com")]).toEqual([true, false]);

    await owner.put("/account/notices", { mail_kinds: ["domain.registered"] });
    expect(await chosen()).toMatchObject({ mail_stopped: null });
    await registerName(owner, "third-mailed.com");
    expect((await settled(3)).at(-1)).toMatchObject({ status: "delivered" });
    expect(isWrittenOf("third-mailed.com")).toBe(true);
  } finally {
    await shop.close();
  }
});
