"""Judge many answers on all cores, in processes that can be killed.

verify_file (reads, orders, writes) -> Lanes -> one supervisor each -> a worker that judges, forked anew if it dies
"""
