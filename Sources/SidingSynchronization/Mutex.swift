@_exported public import Synchronization

#if SIDING_THREAD_SANITIZER
    internal import Glibc

    /// The lock of builds for ThreadSanitizer, in place of the library's.
    ///
    /// The library's waits inside of code that the sanitizer does not see, so that it takes every contended lock for a race.
    /// This one is a POSIX mutex, which it knows.
    public struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
        private let storage: Storage

        /// `@unchecked`: the value is reached with the lock held, and in no other way.
        private final class Storage: @unchecked Sendable {
            let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
            var value: Value

            init(_ value: consuming sending Value) {
                self.value = value
                pthread_mutex_init(lock, nil)
            }

            deinit {
                pthread_mutex_destroy(lock)
                lock.deallocate()
            }
        }

        public init(_ value: consuming sending Value) {
            storage = Storage(value)
        }

        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(storage.lock)
            defer { pthread_mutex_unlock(storage.lock) }
            return try body(&storage.value)
        }
    }
#endif
