import Glibc

/// Returns the value of an environment variable; nil if the variable is not set or is empty.
package func environmentVariable(_ name: String) -> String? {
  // SAFETY: no part of the program changes the environment, so that the pointer stays valid.
  let value = unsafe getenv(name).map { unsafe String(cString: $0) }
  return value == "" ? nil : value
}
