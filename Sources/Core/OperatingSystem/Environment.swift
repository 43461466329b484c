import Glibc

/// Returns a variable of the program's environment; nil if the environment does not have a variable with this name.
package func environmentVariable(_ name: String) -> String? {
  // SAFETY: no part of the program changes the environment, so that the pointer stays valid.
  unsafe getenv(name).map { unsafe String(cString: $0) }
}
