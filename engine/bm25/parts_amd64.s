#include "textflag.h"

// func parts8(dst *int64, freqs, lengths *uint32, eights int, w *Weight)
TEXT ·parts8(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	MOVQ         freqs+8(FP), SI
	MOVQ         lengths+16(FP), DX
	MOVQ         eights+24(FP), CX
	MOVQ         w+32(FP), BX
	VBROADCASTSD (BX), Z0                // W
	VBROADCASTSD 8(BX), Z1               // C0
	VBROADCASTSD 16(BX), Z2              // C1
	MOVQ         $0x41F0000000000000, AX // unit
	VPBROADCASTQ AX, Z3

loop:
	VCVTUDQ2PD (SI), Z4
	VCVTUDQ2PD (DX), Z5
	VMULPD     Z2, Z5, Z5 // C1*dl
	VADDPD     Z1, Z5, Z5 // C0 + ...
	VADDPD     Z4, Z5, Z5 // f + ...
	VDIVPD     Z5, Z4, Z4 // f / ...
	VMULPD     Z0, Z4, Z4
	VMULPD     Z3, Z4, Z4
	VCVTTPD2QQ Z4, Z4
	VMOVDQU64  Z4, (DI)
	ADDQ       $32, SI
	ADDQ       $32, DX
	ADDQ       $64, DI
	DECQ       CX
	JNZ        loop
	VZEROUPPER
	RET
