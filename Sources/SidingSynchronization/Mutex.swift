// SPDX-License-Identifier: Apache-2.0
@_exported public import Synchronization

#if SIDING_THREAD_SANITIZER
    /// The lock for builds with ThreadSanitizer, in place of the standard library's.
    ///
    /// The standard library's lock waits in code that the sanitizer does not see, so every contended lock would be reported as
    /// a race. The sanitizer knows the POSIX mutex that is used here.
    public struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
        private let storage: Storage

        /// `@unchecked`: the value is accessed only while the lock is held.
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

        /// A lock that nobody holds, around its first value.
        public init(_ value: consuming sending Value) {
            storage = Storage(value)
        }

        /// Runs `body` with the value while the lock is held, and waits for other holders first. Never lock again inside `body`.
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(storage.lock)
            defer { pthread_mutex_unlock(storage.lock) }
            return try body(&storage.value)
        }
    }
#endif

extension Mutex where Value: Sendable {
    /// Puts `new` in the place of the value, and returns that.
    @discardableResult @inlinable
    package borrowing func exchange(_ new: Value) -> Value {
        withLock { value in
            defer { value = new }
            return value
        }
    }
}
