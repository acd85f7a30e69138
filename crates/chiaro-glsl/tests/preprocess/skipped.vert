// define NAME=7 FLAG
#if 0
08 " ' /* #endif
*/
#if 1
#else
#endif
#elif NAME == 7 // comment
yes NAME FLAG
#else
no
#endif
#ifdef FLAG
# ifndef FLAG
no
# else
yes
# endif
#endif
#ifdef GL_ES
no
#endif
#if UNKNOWN == 0
yes
#endif
--- expect
version 110 Core
yes 7 1
yes
yes
extension GL_ARB_texture_rectangle Enable from token 0
