"""How well systems take articles out of pages whose article is known."""
