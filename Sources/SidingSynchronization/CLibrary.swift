// SPDX-License-Identifier: Apache-2.0
// The C library of Linux, for every file that imports this module.
#if canImport(Glibc)
    @_exported public import Glibc
#else
    @_exported public import Musl
#endif
