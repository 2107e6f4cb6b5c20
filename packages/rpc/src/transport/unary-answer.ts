import type { DescMessage, DescMethodUnary, DescService, MessageShape } from "@bufbuild/protobuf";
import type { UnaryResponse } from "@connectrpc/connect";

/** What goes before and after an answer: hardly any has something, and so it is made when it is asked for. */
export class AroundAnswer {
  #header: Headers | undefined;
  #trailer: Headers | undefined;

  get header(): Headers {
    return (this.#header ??= new Headers());
  }

  get trailer(): Headers {
    return (this.#trailer ??= new Headers());
  }
}

/** A unary answer, with what is around it as late as that is made. */
export class UnaryAnswer<Input extends DescMessage, Output extends DescMessage> implements UnaryResponse<
  Input,
  Output
> {
  readonly stream = false;
  readonly service: DescService;
  readonly method: DescMethodUnary<Input, Output>;
  readonly message: MessageShape<Output>;
  readonly #around: Pick<UnaryResponse, "header" | "trailer">;

  constructor(
    method: DescMethodUnary<Input, Output>,
    message: MessageShape<Output>,
    around: Pick<UnaryResponse, "header" | "trailer">,
  ) {
    this.service = method.parent;
    this.method = method;
    this.message = message;
    this.#around = around;
  }

  get header(): Headers {
    return this.#around.header;
  }

  get trailer(): Headers {
    return this.#around.trailer;
  }
}
