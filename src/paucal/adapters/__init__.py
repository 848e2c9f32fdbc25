"""paucal's tests inside other libraries; each library is imported only by the function that needs it."""
