//! The tree keeps its own rules.

use xtask::{Console, Interrupt};

#[test]
fn the_tree_is_tidy() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut console = Console::plain(&mut out, &mut err, 80);
    let args = ["cargo xtask".into(), "tidy".into()];
    let code = xtask::invoke(args, &mut console, &Interrupt::default());
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&out));
}
