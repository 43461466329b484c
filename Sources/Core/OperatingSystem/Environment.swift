import Glibc

package func environmentVariable(_ name: String) -> String? {
  // SAFETY: no part of the program changes the environment, so that the pointer stays valid.
  unsafe getenv(name).map { unsafe String(cString: $0) }
}
