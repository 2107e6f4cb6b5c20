import { describeComputeContract } from "../contract/compute.contract.ts";
import { describeDnsContract } from "../contract/dns.contract.ts";
import { describePaymentsContract, type PaymentsUnderTest } from "../contract/payments.contract.ts";
import { describeRegistrarContract, type RegistrarUnderTest } from "../contract/registrar.contract.ts";
import { describeVatIdsContract } from "../contract/vat-ids.contract.ts";
import { withLimits } from "../limits/with-limits.ts";
import { SandboxFixture } from "./open-sandbox.fixture.ts";

let count = 0;
function freshName(): string {
  count += 1;
  return `contract-${String(count)}.example`;
}

/** Returns the parts of a registrar under test that use the sandbox's other registrars. */
function otherRegistrars(
  fixture: SandboxFixture,
): Pick<RegistrarUnderTest, "heldElsewhere" | "letOthersAnswer"> {
  return {
    heldElsewhere: (answer) => ({
      name: `${answer === "releases" ? "elsewhere" : "elsewhere-refused"}-${freshName()}`,
      authCode: "let-me-go",
    }),
    letOthersAnswer() {
      fixture.clock.epochMs += 1_000;
    },
  };
}

/** Returns the parts of payments under test that use the sandbox's labels. */
function labelledPayments(fixture: SandboxFixture): Omit<PaymentsUnderTest, "payments" | "close"> {
  const labels = {
    paid: "",
    declined: "-declined",
    refused: "-mandate-revoked",
    "charged-back": "-chargeback",
  };
  return {
    now: () => fixture.clock.now(),
    orderOf: (fate) => ({
      orderId: `payment-${freshName()}${labels[fate]}`,
      method: "card",
      amountCents: 5_000n,
      returnUrl: "https://hosting.example/billing",
    }),
    pay() {
      fixture.clock.epochMs += 1_000;
    },
    refundOf: ({ orderId }, amountCents = 2_500n) => ({
      orderId,
      refundId: `refund-${freshName()}`,
      amountCents,
    }),
    makeRefunds() {
      fixture.clock.epochMs += 1;
    },
    chargeBack() {
      fixture.clock.epochMs += 5_000;
    },
  };
}

const offer = {
  plan: { title: "Small", cores: 2, memoryGb: 4, storageGb: 40 },
  region: "FRA 1",
  distro: "Debian 13",
};

const limits = { timeLimitMs: 60_000, concurrency: 2, queue: 100 };

for (const [name, latencyMs] of [
  ["the sandbox", 0],
  ["the sandbox at a distance", 2],
] as const) {
  describeRegistrarContract(name, () => {
    const fixture = new SandboxFixture();
    return {
      registrar: fixture.open({ latencyMs }).registrar,
      freshName,
      ...otherRegistrars(fixture),
      close: () => {
        fixture.close();
      },
    };
  });
  describeComputeContract(name, () => {
    const fixture = new SandboxFixture();
    return {
      compute: fixture.open({ latencyMs }).compute,
      freshName,
      offer,
      close: () => {
        fixture.close();
      },
    };
  });
  describeVatIdsContract(name, () => {
    const fixture = new SandboxFixture();
    return {
      vatIds: fixture.open({ latencyMs }).vatIds,
      unregistered: "Refused BV",
      unreachable: "Offline BV",
      close: () => {
        fixture.close();
      },
    };
  });
  describePaymentsContract(name, () => {
    const fixture = new SandboxFixture();
    return {
      payments: fixture.open({ latencyMs }).payments,
      ...labelledPayments(fixture),
      close: () => {
        fixture.close();
      },
    };
  });
  describeDnsContract(name, () => {
    const fixture = new SandboxFixture();
    return {
      dns: fixture.open({ latencyMs }).dns,
      freshName,
      close: () => {
        fixture.close();
      },
    };
  });
}

describeRegistrarContract("the sandbox within limits", () => {
  const fixture = new SandboxFixture();
  return {
    registrar: withLimits(fixture.open().registrar, limits),
    freshName,
    ...otherRegistrars(fixture),
    close: () => {
      fixture.close();
    },
  };
});
describeDnsContract("the sandbox within limits", () => {
  const fixture = new SandboxFixture();
  return {
    dns: withLimits(fixture.open().dns, limits),
    freshName,
    close: () => {
      fixture.close();
    },
  };
});
describeComputeContract("the sandbox within limits", () => {
  const fixture = new SandboxFixture();
  return {
    compute: withLimits(fixture.open().compute, limits),
    freshName,
    offer,
    close: () => {
      fixture.close();
    },
  };
});
describeVatIdsContract("the sandbox within limits", () => {
  const fixture = new SandboxFixture();
  return {
    vatIds: withLimits(fixture.open().vatIds, limits),
    unregistered: "Refused BV",
    unreachable: "Offline BV",
    close: () => {
      fixture.close();
    },
  };
});
describePaymentsContract("the sandbox within limits", () => {
  const fixture = new SandboxFixture();
  return {
    payments: withLimits(fixture.open().payments, limits),
    ...labelledPayments(fixture),
    close: () => {
      fixture.close();
    },
  };
});
